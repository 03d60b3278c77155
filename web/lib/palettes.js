/** The colors for canvases and pictures. A test keeps them equal to those of style.css. */

/** @import { Mode, Palette } from '../types.d.ts' */

/** @type {Record<Mode, Palette>} */
export const PALETTES = {
  light: {
    paper: '#fcfcfa', ink: '#14181b', muted: '#5c656b', line: '#dcdeda', accent: '#0b6e5d',
    faint: '#b9c1bd', wash: '#eaf2ee', soft: '#93bfb4'
  },
  dark: {
    paper: '#15191b', ink: '#eef1ef', muted: '#9aa5a3', line: '#31383a', accent: '#6fdcc0',
    faint: '#525d5d', wash: '#1c2826', soft: '#3d7a6c'
  }
}
