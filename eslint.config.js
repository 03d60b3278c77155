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

/** Folders of `web` that show something; those that compute are below them. */
const SHOWN = 'exercises|glossary|import|inspector|lessons|map|notebooks|opening|shell|theatre|twin'
/** What the files of a folder may not import, and why. @type {[string, string, string][]} */
const WALLS = [
  ['src/reference', 'js|training|web', 'references are independent of the library'],
  ['src/js', 'cli|reference|training|web', 'the library knows neither the command nor the page'],
  ['src/training', 'cli|reference|web', 'the command line trains without the page'],
  ['src/cli', 'reference|web', 'the command line needs no page'],
  ['web/lib', `${SHOWN}|check|models|rooms|stages|worker`, 'lib is below all other folders of the page'],
  ['web/models', `${SHOWN}|check|rooms|stages|worker`, 'models run in workers, without the page'],
  ['web/rooms', `${SHOWN}|check|stages|worker`, 'rooms are derived in Node, too'],
  ['web/worker', `${SHOWN}|check|stages`, 'workers know no DOM'],
  ['web/stages', '(?!notebooks)(?:' + SHOWN + ')|check|models|rooms|worker', 'a stage draws a role of a run, whatever the model'],
  ['web/check', 'src/js|src/training|inspector|lessons|map|opening|stages|theatre|twin|worker', 'the check is apart from what it checks']
]
const walls = WALLS.map(([folder, forbidden, message]) => ({
  files: [`${folder}/**/*.js`],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ regex: `^(\\.\\./)+(${forbidden})/`, message }] }] }
}))

export default [
  { ignores: ['build', 'dist', '**/node_modules'] },
  js.configs.recommended,
  {
    plugins: { '@stylistic': stylistic },
    languageOptions: { globals: { ...globals.browser, ...globals.worker, ...globals.node } },
    rules: { ...layout, ...names }
  },
  ...walls,
  { files: ['src/js/**'], languageOptions: { globals: { ...globals['shared-node-browser'] } } }
]
