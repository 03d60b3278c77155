/** The nouns of the sentences by kind. Nouns in HELD_OUT are never used in training, only in tests. */

/** @param {string} text */
const list = text => text.trim().split(/\s+/)

/** Korean nouns for training, by kind. @type {Record<string, string[]>} */
export const KOREAN = {
  people: list(`친구 선생님 동생 학생 의사 할머니 아버지 어머니 이웃 형 누나 언니 삼촌 기자 사장님 손님 요리사 아이 가수
    간호사 화가 농부 민수 지은 서연 하늘 준호 유진 현우 다은 슬기 은별 한솔 영희 철수 남편 아들 딸 조카 사촌 직원 배우`),
  things: list(`책 연필 가방 우산 전화기 컴퓨터 신발 옷 모자 안경 지갑 카메라 사진 그림 편지 공책 칼 의자 책상 거울 인형
    선물 꽃 돌 종이 상자 물건 수건 컵 접시 열쇠 장갑 양말 바지 치마 단추 바늘 실 못 줄 병 숲 값 삯 흙 닭 부엌 밭 빛 잎 짚`),
  food: list(`사과 밥 빵 라면 김치 불고기 국수 떡 과자 만두 수박 귤 딸기 포도 치킨 김밥 초콜릿 달걀 생선 비빔밥 감자
    고구마 꿀 쌀 콩 국 죽 배 감 파이`),
  drinks: list('물 커피 우유 차 주스 콜라 녹차 맥주 술 보리차'),
  places: list(`학교 집 서울 부산 파리 도서관 병원 공원 시장 은행 회사 식당 바다 산 극장 호텔 역 공항 미술관 섬 마을 교실
    제주도 강릉 런던 베를린 우체국 약국 가게 숲길 절 궁`),
  media: list('영화 음악 노래 소설 시 뉴스 드라마 만화 신문 동화 라디오 연극 글 일기'),
  animals: list('고양이 강아지 새 말 소 토끼 곰 호랑이 사슴 양 오리 개구리 벌 나비 물고기 거미 늑대 닭'),
  activities: list('여행 운동 공부 수업 회의 산책 쇼핑 청소 요리 낚시 캠핑 소풍 연습 일 게임 빨래 모임'),
  vehicles: list('버스 지하철 택시 기차 비행기 배 트럭 오토바이 전철 썰매 케이블카 마차'),
  tools: list('연필 칼 가위 손 망치 젓가락 숟가락 볼펜 붓 삽 톱 물감 실 걸레 빗자루 분필'),
  ideas: list('사랑 자유 시간 꿈 마음 이야기 생각 약속 비밀 거짓말 진실 문제 이름 기억 행복 규칙 방법 까닭 뜻 삶'),
  weather: list('날씨 하늘 기분 공기 바람 경치 분위기 햇살'),
  rain: list('비 눈 손님 봄 여름 가을 겨울 편지 소식'),
  days: list('오늘 내일 어제 모레 아침 저녁 지금 요즘 주말'),
  pronouns: list('나 저 우리 너 그 그녀 당신'),
  numbers: list('1 2 3 4 5 6 7 8 9 10 12 15 20 27 30 100 일 이 삼 사 오 육 칠 팔 구 십 백')
}

/** Korean nouns for tests. @type {Record<string, string[]>} */
export const KOREAN_HELD_OUT = {
  people: list('변호사 경찰관 소방관 할아버지 이모 고모 감독 군인 왕 도둑 수진 보람 한별 태윤 교수님 이발사'),
  things: list('시계 자전거 베개 이불 냉장고 창문 달력 반지 북 피아노 기타 지우개 풀 꽃병 손수건 칫솔 천'),
  food: list('바나나 피자 복숭아 당근 오이 두부 갈비 잡채 삼겹살 냉면 미역국 호떡 귤잼 마늘'),
  drinks: list('홍차 막걸리 식혜 사이다 유자차 생강즙'),
  places: list('대구 광주 박물관 수영장 편의점 놀이터 백화점 동물원 뉴욕 도쿄 옷집 골목 경찰서 시골 만'),
  media: list('잡지 오페라 연설 수필 방송 광고'),
  animals: list('기린 코끼리 펭귄 다람쥐 악어 여우 나귀 매 고슴도치 문어 비둘기 반달곰'),
  activities: list('등산 수영 빙수 발표 시험 축구 실험 독서 춤'),
  vehicles: list('자동차 여객선 잠수함 헬리콥터 구급차 경운기 요트 전동휠'),
  tools: list('국자 집게 드릴 호미 빨대 송곳 끌 자'),
  ideas: list('평화 희망 용기 믿음 습관 소문 지혜 슬픔 계획 소원'),
  weather: list('물결 노을 풍경 소리'),
  rain: list('전화 택배 방학 태풍')
}

/** English nouns for training: singular, and plural where it is irregular. @type {Record<string, string[]>} */
export const ENGLISH = {
  things: list(`key cabinet book table lamp cup letter door window picture box bus glass bottle chair coat shoe map note
    pencil plate ring rope shelf/shelves knife/knives leaf/leaves flower garden tree house bridge boat train car wheel
    clock phone bag hat shirt dress class lens bush bench brush watch story/stories city/cities toy tray egg apple
    potato/potatoes orange cake sandwich song poem drum piano mirror blanket candle basket button ticket road river
    mountain island village museum school station foot/feet tooth/teeth`),
  living: list(`boy girl man/men woman/women child/children teacher doctor friend farmer singer baby/babies lady/ladies
    boss king queen cat dog horse cow bird fish/fish sheep/sheep mouse/mice goose/geese fox frog rabbit bear monkey
    student writer nurse baker sailor neighbor uncle aunt painter driver`)
}

/** English nouns for tests. @type {Record<string, string[]>} */
export const ENGLISH_HELD_OUT = {
  things: list(`cable drawer spoon pillow camera ladder tower guitar carpet bucket fence castle church kiss wallet peach
    country/countries party/parties valley keyboard sock tomato/tomatoes page screen`),
  living: list(`wizard pilot waiter cousin sister brother lawyer actress witch puppy/puppies spy/spies penguin turtle
    tiger wolf/wolves guest`)
}
