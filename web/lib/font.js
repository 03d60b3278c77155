/** The fonts of figures; style/base.css has the same ones for the page. */

const KOREAN = 'system-ui, "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR"'
const CHINESE = '"PingFang SC", "Microsoft YaHei", "Noto Sans SC", "Noto Sans CJK SC", system-ui'

/** The font family in the language of the page: Chinese characters look different in Korean fonts. */
export const fontFamily = () => (
  `${globalThis.document?.documentElement?.lang?.startsWith('zh') ? CHINESE : KOREAN}, sans-serif`)
