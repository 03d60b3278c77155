/**
 * What containers have under numbers and names, where JSDoc has no way to say so; the declarations that are made of
 * containers.js have it in them.
 */

declare module './containers.js' {
  interface NumberedModules<M extends import('./module.js').Module = any> { [place: number]: M }
  interface ModuleDict { [name: string]: any }
}
declare module './parameter_containers.js' {
  interface ParameterList { [place: number]: any }
  interface ParameterDict { [name: string]: any }
}
export {}
