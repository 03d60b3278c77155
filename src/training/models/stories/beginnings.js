/** Example prompts. */
export const BEGINNINGS = [
  ['ko', '다윤은 아침에'], ['ko', '서연은 하얀 고양이를 키워요.'], ['ko', '비가 와요.'], ['en', 'Julia went to the'],
  ['en', 'Beno has a blue bird.']
]
