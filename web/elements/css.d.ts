/** A style sheet as text: see web/build.js. */
declare module '*.css' {
  const text: string
  export default text
}
