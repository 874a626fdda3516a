import { latinKeys } from './dubeolsik.js';

/**
 * Words that Korean users often choose, the likelier ones first: a list of this project, since the word lists of zxcvbn
 * contain none. Groups: about signing in, affection, family and names, animals, food, places, seasons and time, common nouns.
 */
const WORDS = `
비밀번호 비번 암호 패스워드 로그인 관리자 사용자 아이디 회원 계정 보안 접속 인증 테스트 시험 임시 초기 기본 서버 회사
컴퓨터 인터넷 네이버 카카오 카톡 구글 삼성 현대 엘지 한국 대한민국 우리나라 우리집 홈페이지 데이터 운영 개발 업무 총무 부장
사랑 사랑해 사랑해요 사랑합니다 사랑한다 좋아해 좋아요 보고싶어 고마워 감사 감사합니다 미안해 행복 행복해 행복하자 축복 희망 소망 믿음 평화
안녕 안녕하세요 반가워 화이팅 파이팅 힘내 힘내자 대박 최고 천재 바보 멍청이 메롱 하하하 호호호 아자아자 만세 부자 로또 성공
엄마 아빠 어머니 아버지 할머니 할아버지 언니 오빠 누나 동생 형님 아들 우리딸 딸기 아기 자기야 여보 당신 친구 가족
우리 우리가족 내사랑 내꺼 나야나 나만의 너와나 예쁜이 이쁜이 왕자 공주 천사 악마 요정 마녀 영웅 대장 두목 주인 손님
김민지 김민준 김지훈 김철수 김영희 이민호 이영희 박지성 박지민 홍길동 손흥민 김연아 최민수 정국 민지 민준 서연 서준 지우 지훈
하늘 바다 나무 구름 바람 태양 달님 별님 별빛 햇살 무지개 소나기 눈사람 우주 지구 산책 강물 호수 들꽃 장미 해바라기 벚꽃
강아지 고양이 멍멍이 야옹이 토끼 호랑이 사자 곰돌이 돼지 여우 늑대 원숭이 거북이 병아리 참새 독수리 나비 고래 상어 돌고래
사과 바나나 포도 수박 복숭아 김치 김치찌개 된장찌개 라면 떡볶이 치킨 피자 삼겹살 불고기 비빔밥 맥주 소주 커피 초콜릿 아이스크림
서울 부산 대구 인천 광주 대전 울산 제주 제주도 강남 홍대 독도 백두산 한라산 한강 수원 경주 강릉 여행 고향
봄날 여름 가을 겨울 오늘 내일 어제 새벽 아침 저녁 생일 생일축하 새해 크리스마스 추석 설날 월요일 토요일 일요일 시간
학교 대학교 학생 선생님 공부 음악 영화 게임 축구 야구 농구 노래 춤추자 그림 사진 운동 자동차 비행기 기차 자전거
국민 통일 독립 태극기 무궁화 이순신 세종대왕 하나님 예수님 주님 아멘 할렐루야 부처님 감자 고구마 미래 인생 영원히 자유 나라
`
  .trim()
  .split(/\s+/);

/** As typed in Korean, and with the same keys in Latin letters; zxcvbn compares lower-case words. */
export function koreanDictionary(): string[] {
  return [...new Set(WORDS.flatMap((word) => [word, latinKeys(word).toLowerCase()]))];
}
