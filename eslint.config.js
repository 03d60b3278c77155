/**
 * One style everywhere, and no undefined or unused names. `./build.sh format` fixes what can be fixed automatically.
 */
import js from '@eslint/js'
import stylistic from '@stylistic/eslint-plugin'
import globals from 'globals'

const layout = {
  ...stylistic.configs.customize({ indent: 2, quotes: 'single', semi: false, commaDangle: 'never' }).rules,
  '@stylistic/arrow-parens': ['error', 'as-needed'],
  '@stylistic/brace-style': ['error', '1tbs', { allowSingleLine: true }],
  '@stylistic/max-len': ['error', { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true }],
  '@stylistic/quotes': ['error', 'single', { avoidEscape: true, allowTemplateLiterals: 'always' }],
  // Line breaks are left to the author.
  '@stylistic/max-statements-per-line': 'off',
  '@stylistic/multiline-ternary': 'off',
  '@stylistic/no-mixed-operators': 'off',
  '@stylistic/operator-linebreak': 'off'
}

const names = {
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true }],
  'prefer-const': ['error', { destructuring: 'all' }],
  'no-empty': ['error', { allowEmptyCatch: true }],
  'require-yield': 'off'
}

export default [
  { ignores: ['build', 'dist', '**/node_modules'] },
  js.configs.recommended,
  {
    plugins: { '@stylistic': stylistic },
    languageOptions: { globals: { ...globals.browser, ...globals.worker, ...globals.node } },
    rules: { ...layout, ...names }
  },
  { files: ['src/js/**'], languageOptions: { globals: { ...globals['shared-node-browser'] } } }
]
