/** Lets other tasks have their turn: for what takes long and may be stopped. */
export const turn = () => new Promise(resolve => setTimeout(resolve))
