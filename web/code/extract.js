/** Extracts a function from a source file, C or JavaScript: from the comment above it to its closing brace. */

/** @param {string} line */
const isComment = line => /^(\/\*|\s*\*|\/\/)/.test(line) || /^(?!.*\/\*).*\*\/\s*$/.test(line)
/** @param {string} name */
const escape = name => name.replace(/\$/g, '\\$&')

/** Whether a brace comes before a semicolon; a declaration has none. @param {string[]} lines @param {number} i */
const isDefinition = (lines, i) => (
  /\{/.test(/** @type {string} */ (lines.slice(i).find(line => /[;{]/.test(line))).split(';')[0]))

/**
 * The line that starts the definition, or -1: unindented, and no statement or declaration.
 * @param {string[]} lines
 * @param {string} name
 */
function findStart(lines, name) {
  const functionHead = new RegExp(`^(?:export )?(?:async )?[\\w*][\\w\\s*(),]*[\\s*]${escape(name)}\\(`)
  const constantHead = new RegExp(`^(?:export )?const ${escape(name)}\\b`)
  return lines.findIndex((line, i) => {
    if (/^\s|^\/|^#|^typedef|^return/.test(line)) return false
    return constantHead.test(line) || (functionHead.test(line) && isDefinition(lines, i))
  })
}

/**
 * The last line of the definition: where the brackets that it opened are closed again.
 * @param {string[]} lines
 * @param {number} start
 */
function findEnd(lines, start) {
  let [depth, opened] = [0, false]
  for (let i = start; i < lines.length; i++) {
    for (const sign of lines[i].replace(/'[^']*'|"[^"]*"|`[^`]*`|\/\/.*$/g, '')) {
      if ('{(['.includes(sign)) depth += 1
      if ('})]'.includes(sign)) depth -= 1
      if (sign === '{' && depth === 1) opened = true
    }
    if (depth === 0 && (opened || !/[,=>(]$/.test(lines[i]))) return i
  }
  return lines.length - 1
}

/** Whether a line starts an operation's entry in a table. @param {string} line @param {string} name */
const isEntry = (line, name) => line.startsWith(`  X(${name},`) || line.startsWith(`  ${name}: {`)

/**
 * @param {string[]} lines
 * @param {string} name
 * @returns {{ code: string, line: number } | null} without the comma or backslash at its end
 */
function extractEntry(lines, name) {
  const start = lines.findIndex(line => isEntry(line, name))
  if (start < 0) return null
  return { code: lines.slice(start, findEnd(lines, start) + 1).join('\n').replace(/,?\s*\\?$/, ''), line: start + 1 }
}

/**
 * @param {string} text a file
 * @param {string} name of a function, of a constant at the top level, or of an entry in a table
 * @returns {{ code: string, line: number } | null} its text and the line it starts at, counted from 1
 */
export function extract(text, name) {
  const lines = text.split('\n')
  const start = findStart(lines, name)
  if (start < 0) return extractEntry(lines, name)
  let first = start
  while (first > 0 && isComment(lines[first - 1])) first -= 1
  return { code: lines.slice(first, findEnd(lines, start) + 1).join('\n'), line: first + 1 }
}
