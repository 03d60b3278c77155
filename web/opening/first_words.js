/**
 * Title and first sentence of the opening. The document contains them in every language, so that they can be read
 * before the scripts of the page have arrived.
 */

/** @import { Language } from '../words/index.js' */

/** What the address of the opening may contain. */
const KEYS = ['language', 'theme']

/**
 * The templates for the document, one a language.
 * @param {{ language: string, title: string, what: string }[]} words
 */
export const createTemplates = words => words.map(({ language, title, what }) => (
  `<template data-language="${language}"><div class="opening"><header class="opening-head">` +
  `<h1 tabindex="-1">${title}</h1><p class="lead">${what}</p></header></div></template>`)).join('\n')

/** @param {Element} container @param {Language} language */
export function showFirstWords(container, language) {
  const template = /** @type {HTMLTemplateElement} */ (document.querySelector(`template[data-language="${language}"]`))
  container.replaceChildren(template.content.cloneNode(true))
}

/** Whether an address leads to the opening. @param {URLSearchParams} parameters */
export const isOpening = parameters => [...parameters.keys()].every(key => KEYS.includes(key))
