/**
 * The pre-tokenizer UnicodeScripts: words are runs of one script. This file is loaded when a tokenizer needs it.
 *
 * The scripts are those of Unicode 9, whichever version the engine has, because Hugging Face's table is of that
 * version. Han, Hiragana and Katakana are one script; Common (digits, punctuation, symbols) and Inherited (combining
 * marks) are scripts like any other. A space or an unassigned code point belongs to the run that it is in; no run
 * begins with one.
 */

/**
 * The runs of code points from U+0000 on: a letter for the script, or '-' for spaces and unassigned code points, and
 * the length of the run in base 36 unless it is 1. Written by tests/golden/unicode_scripts.mjs.
 */
const TABLE =
  'Aw-AwEqA6EqA1bEAfEA5EnAEvAEchA13E5A5Î2AkF34C4AC3-2C4AC-4CACAC3-C-Ck-C1rÏeCgU3pF2U4p-Á12-2Á7-Á13-AÁ-2Á3-S1j-8Sr' +
  '-5S5-bB5AB6ABeA2-BABwABaFbBqFB30AByÐe-Ð1o-2Ð3B1cĐ1e-eđ1n-5æ1a-2æf-çs-2ç-1tBl-B8-mBeABtÈ29F2ÈhA2ÈqL4-L8-2L2-2Lm' +
  '-L7-L-3L4-2L9-2L2-2L4-8L-4L2-L5-2Lm-5I3-I6-4I2-2Im-I7-I2-I2-I2-2I-I5-4I2-2I3-3I-7I4-I-7Ig-bM3-M9-M3-Mm-M7-M2-M' +
  '5-2Ma-M3-M3-2M-fM4-2Mc-7M-7N3-N8-2N2-2Nm-N7-N2-N5-2N9-2N2-2N3-8N2-4N2-N5-2Ni-aJ2-J6-3J3-J4-3J2-J-J2-3J2-3J3-3J' +
  'c-4J5-3J3-J4-2J-6J-eJl-5Q4-Q8-Q3-Qn-Qg-3Q8-Q3-Q4-7Q2-Q3-5Q4-2Qa-8Q8O4-O8-O3-On-Oa-O5-2O9-O3-O4-7O2-7O-O4-2Oa-O' +
  '2-eT3-T8-T3-T15-2T8-T3-T6-4Tg-2Tq-2R2-Ri-3Ro-R9-R-2R7-3R-4R6-R-R8-6Ra-2R3-cè1m-4Aès-11H2-H-2H2-H-2H-6H4-H7-H3-' +
  'H-H-2H2-Hd-H3-2H5-H-H6-2Ha-2H4-wX20-X10-4X13-X10-Xf-X7A4X2-11Ñ4gV12-V-5V-2V17AV4P74D21-D4-2D7-D-D4-2D15-D4-2Dx' +
  '-D4-2D7-D-D4-2Df-D1l-D4-2D1v-2Dw-3Dq-6Ò2e-2Ò6-2éhsĒt-3ê23A3êb-7ëd-ë7-bēlA2-9Ĕk-cÓd-Ó3-Ó2-cÉ2m-2Éa-6Éa-6Y2A2YAY' +
  '9-Ya-6Y2g-8Y17-5é1y-aÃv-Ãc-4Ãc-4Ã-3Ãcìu-2ì5-bÊ18-4Êq-6Êb-3Ê2Éwís-2í2Ä1r-Ät-2Äb-6Äa-6Äe-2Ff-1tî24-4î19-3ï1sð1g-' +
  '8ð4Ô1k-3Ôf-3Ô3ĕ1cU9-1jï8-8F3AFdAF7A4FA6FA2-F2-6E12C5UE1dC5E4C5EdUE1yCF1i-5F5E74Cm-2C6-2C12-2C6-2C8-C-C-C-Cv-2C' +
  '1h-Cf-Ce-2C6-Cj-2C3-C9-AcF2A2f-AbE-2AbEAf-Ed-3Av-hFx-fA12CA3E2A6EArEAhE15A3-4Ahb-A13-pAb-lApsĖ74Ahg-2Aw-2Ay-3A' +
  'c-A8-qA4-gZ1b-Z1b-EwÏ38-5Ï7V12-V-5V-2Õ1k-7Õ2-eÕDn-9D7-D7-D7-D7-D7-D7-D7-D7-UwA1x-1nGq-G2h-cG5y-qAc-4A5GAGApG9F' +
  '4P2A8G4A4-G2e-2F2A2G3AG2iAG4-5Î15-3P2m-AgÎr-5A10-cGgPv-A1sPvA29G1b-G2gA4oG52u-aA1sGg5y-16ñwd-3ñ1j-9ė1cĘ8c-kU2o' +
  'ò2g-8AyE2uA3E10-E8-1rE9ę18-4Aa-6Ě1k-8ó1y-8óc-6Èu-2ô1aAôõ10-bõPt-3Ö26-AÖa-4Ö2Ñv-Ë1j-9Ëe-2Ëa-2Ë4Ñwö1v-oö5×n-aD6-' +
  '2D6-2D6-9D7-D7-E17AE9C-aÒ28×1a-2×a-6P8mc-cPn-4P1d-6isGa6-2G2y-12E7-cÁ5-5Sq-S5-S-S2-S2-SaB36-hBa3A2-gB1s-2B1i-1' +
  '4Be-2FgAa-6FeU2Az-Aj-A4-4B5-B3r-2A-AwEqA6EqAbGaAG19A2Pv-3P6-2P6-2P6-2P3-3A7-A7-aA5-2Àc-Àq-Àj-À2-Àf-2Àe-yÀ3f-5A' +
  '3-4A19-3A9C27-Ac-4C-1bA19F-3mět-3Ĝ1d-fFAr-4ĝ10-cĞr-5ğ17-5÷u-÷ø10-4øe-16Ġ28ġ1cùu-2ùa-6ú10-4ú10-4Ģ14-8û1g-bû-40Ø' +
  '8n-9Øm-aØ8-48Â6-2Â-Â18-Â2-3Â-2Âüm-ü9ģwýv-8ý9-1cÙj-Ù2-5Ù5þs-3þÿq-5ÿ-1sĤwÚo-4Úk-2Ú1aW4-W2-5W8-W3-Wr-4W3-4W9-8W9-' +
  '7ĥwĦw-wĀ13-4Āc-9ā1i-3ā7Ăm-2Ă8ăj-5ă8Ûi-7Û4-cÛ7-28ħ21-1jÜ1f-dÜ1f-7Ü6-9sBv-apÝ26-4Ýu-fÝĨ1u-eĄp-7Ąa-6ą1h-ąe-cĩ13-9' +
  'Ć26-2Ćg-Rk-bći-ć18-1tÅ7-Å-Å4-Åf-Åb-6Ĉ1n-5Ĉa-6K4-K8-2K2-2Km-K7-K2-K5-2K9-2K2-2K3-2K-6K-5K7-2K7-3K5-3vÞ2i-Þ-Þ-yĉ' +
  '20-8ĉa-4mĊ1i-2Ċ12-yċ1x-bċa-6Yd-jČ1k-8Ča-1ißq-3ßf-4ßg-9sč2b-cč-cgĪ1l-7bÌ9-Ì19-Ìe-aÌt-3àw-2àm-àe-ndÍpm-2uÍ33-Í5-' +
  'bÍ5g-24cītr-34hĬg7-6ntòft-7áv-áa-4á2-2oĎu-2Ď6-aÆ1y-aÆa-Æ7-Æl-5Æj-ogâ1x-bâ1b-gâh-1sã-vã4q5-jãkz-7bhG2-2daÇ2z-5Ç' +
  'd-3Ç9-7Ça-2Ç4A4-3toA6u-aA13-2A1qF3AhF8A2F7AuF4A1n-nC1y-56A2f-9Ai-3yA2d-A1z-A2-2A-2A2-2A4-Ac-A-A7-A1t-A4-2A8-A7' +
  '-As-A4-A5-A-3A7-A9g-2A84-2A1eäi4-fä5-äf-11sZ7-Zh-2Z7-Z2-Z5-1jpď5h-2ďg-15å23-5åa-4å2-wwB4-Br-B2-B-2B-Ba-B4-B-B-' +
  '6B-4B-B-B-B3-B2-B-2B-B-B-B-B-B2-B-2B4-B7-B4-B4-B-Ba-Bh-5B3-B5-Bh-1gB2-7iA18-4A2s-cAf-2Af-Af-A11-aAd-3Av-A1o-4A' +
  '1p-1lAqGA2-dA18-4A9-7A2-4uAr7-dAd-3A7-9A38-cA2d-17Ac-4A1k-8Aa-6A14-8Au-2qAf-A8-8A-2Ac-Ac-4Af-xAi-1aA-18fGwyf-1' +
  '5G379-bG66-2G4g2-866Gf2-fherA-uA2o-3kF6o-47bk'

/** The first code points of the runs, and their scripts. @type {number[]} */
const starts = []
/** @type {string[]} */
const letters = []
let end = 0
for (const [, letter, length] of TABLE.matchAll(/([^0-9a-z])([0-9a-z]*)/g)) {
  starts.push(end)
  letters.push(letter)
  end += length ? parseInt(length, 36) : 1
}

/** The script of a code point as a letter of the table. @param {number} code */
function findScript(code) {
  let low = 0, high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle] <= code) low = middle
    else high = middle
  }
  return letters[low]
}

/** A pattern that matches runs of one script. */
export const SCRIPT_RUNS = /** @type {RegExp} */ (/** @type {unknown} */ ({
  /** @param {string} text */
  * [Symbol.matchAll](text) {
    let start = 0, at = 0, current = '-'
    for (const character of text) {
      const script = findScript(/** @type {number} */ (character.codePointAt(0)))
      if (script !== '-' && script !== current) {
        if (current !== '-') yield { index: start, 0: text.slice(start, at) }
        start = at
        current = script
      }
      at += character.length
    }
    if (current !== '-') yield { index: start, 0: text.slice(start) }
  }
}))
