/** All exercises as one notebook for PyTorch: texts, starters, and the engine's numbers as assertions. */

import { writeNotebook } from '../notebooks/export_notebook.js'
import { loadExerciseTexts } from '../words/exercises.js'
import { withComments } from './comments.js'
import { EXERCISES } from './index.js'

/** @import { Language, Translate } from '../types.d.ts' */
/** @import { Exercise } from './index.js' */

const SETUP = `import math
import torch
from torch import nn
from torch.nn import functional as F


def to_tensors(value):
    if isinstance(value, (list, tuple)):
        try:
            return torch.as_tensor(value)
        except (TypeError, ValueError):
            return [to_tensors(item) for item in value]
    if isinstance(value, dict):
        return {key: to_tensors(item) for key, item in value.items()}
    return torch.as_tensor(value) if isinstance(value, (int, float, bool)) else value


def assert_same(got, expected, tolerance):
    got, expected = to_tensors(got), to_tensors(expected)
    if isinstance(expected, dict):
        assert isinstance(got, dict) and sorted(got) == sorted(expected), f'expected the keys {sorted(expected)}'
        for key in expected:
            assert_same(got[key], expected[key], tolerance)
    elif isinstance(expected, list):
        assert isinstance(got, list) and len(got) == len(expected), f'expected {len(expected)} values'
        for pair in zip(got, expected):
            assert_same(*pair, tolerance)
    elif isinstance(expected, torch.Tensor):
        assert isinstance(got, torch.Tensor), f'expected a tensor, got {got!r}'
        torch.testing.assert_close(got.detach().double(), expected.double(), rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        assert got == expected, f'expected {expected!r}, got {got!r}'`

/** @param {string} name */
export const toSnakeCase = name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/**
 * The assertions of one exercise.
 * @param {Exercise} exercise @param {ReturnType<typeof import('./export_cases.js').exportCases>} cases
 */
const writeAssertions = ({ name, tolerance }, cases) => cases.map(({ id, args, expected }) => (
  `# ${id}\nassert_same(${toSnakeCase(name)}(*${args}),\n            ${expected}, ${tolerance})`)).join('\n')

/**
 * @param {Language} language @param {Translate} t
 * @param {(id: string) => Promise<{ report?: unknown }>} exportCases requests the cases from the worker
 * @param {'starter' | 'solution'} [code] which code its cells have
 * @returns {Promise<string>}
 */
export async function createNotebook(language, t, exportCases, code = 'starter') {
  const parts = []
  for (const { id, load } of EXERCISES) {
    const [{ exercise: definition }, texts] = await Promise.all([load(), loadExerciseTexts(language, id)])
    const { what, hints, comments } = texts, exercise = withComments(definition, comments)
    const { report } = await exportCases(id)
    const cases = /** @type {ReturnType<typeof import('./export_cases.js').exportCases>} */ (report)
    const list = hints.map((/** @type {string} */ hint, /** @type {number} */ i) => `${i + 1}. ${hint}`)
    parts.push({ name: id, text: `## ${t(`list.${id}`)}\n\n${what}\n\n${list.join('\n')}` },
      { name: `${id}-code`, code: exercise.torch[code] },
      { name: `${id}-check`, code: writeAssertions(exercise, cases) })
  }
  return writeNotebook([{ name: 'title', text: `# ${t('title')}\n\n${t('about')}` }, { name: 'setup', code: SETUP }, ...parts])
}
