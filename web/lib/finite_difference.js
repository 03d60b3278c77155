/** The step of finite differences. */

/**
 * Measured on random cells of the trained and of a random model: the slope is within 0.2 % of the gradient at the
 * median and within 1 % for nine of ten. Larger steps suffer from the curvature, smaller ones from float32.
 */
export const STEP = 2 ** -6
