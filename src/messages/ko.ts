import type { Messages } from './messages.js';

/** Korean. */
export const ko: Messages = {
  tag: 'ko',
  languageName: '한국어',

  notices: {
    subject: (service, title) => `${service}: ${title}`,
    account: '계정',
    time: '시간',
    address: '주소',
    browser: '브라우저',
    browserOn: (browser, system) => `${browser} (${system})`,
    unknown: '알 수 없음',
    by: '수행자',
    administrator: '관리자',
    notMe:
      '본인이 한 것이 아니라면 다음 페이지를 여십시오. 모든 기기에서 로그아웃되며, 다음에 로그인할 때 새 비밀번호를 설정해야 합니다.',
    notMeLink: '본인이 아닙니다',
    notMeContact: '본인이 한 것이 아니라면 관리자에게 문의하십시오.',
    unlock: (minutes) =>
      `코드를 직접 입력하셨다면 지금 계정 잠금을 해제할 수 있습니다. 이 링크는 ${minutes}분 동안 한 번만 사용할 수 있습니다.`,
    unlockLink: '계정 잠금 해제',
    unlocked: '그동안 계정 잠금이 해제되었습니다.',
    footer: (service) => `이 메일은 ${service}에서 자동으로 발송되었습니다. 회신하지 마십시오.`,
    kinds: {
      'mfa-on': {
        title: '2단계 인증이 켜졌습니다',
        text: '계정에 인증 앱이 등록되었습니다. 이제부터 로그인할 때 인증 앱의 코드가 필요합니다.',
      },
      'mfa-off': {
        title: '2단계 인증이 꺼졌습니다',
        text: '계정의 2단계 인증이 꺼졌습니다. 이제 비밀번호만으로 로그인할 수 있습니다.',
      },
      'mfa-reset': {
        title: '2단계 인증이 초기화되었습니다',
        text: '관리자가 계정의 인증 앱과 백업 코드를 삭제했습니다. 다음에 로그인할 때 인증 앱을 새로 등록해야 합니다.',
      },
      'codes-reissued': {
        title: '새 백업 코드가 발급되었습니다',
        text: '계정의 백업 코드가 새로 발급되었습니다. 이전의 백업 코드는 모두 사용할 수 없습니다.',
      },
      'code-used': {
        title: '백업 코드가 사용되었습니다',
        text: '백업 코드 하나를 사용하여 계정에 로그인했습니다.',
      },
      locked: {
        title: '계정이 잠겼습니다',
        text: '잘못된 코드가 여러 번 입력되어 잠시 동안 코드를 사용할 수 없습니다. 코드를 입력한 사람은 비밀번호를 알고 있습니다. 본인이 아니라면 비밀번호를 변경하십시오.',
      },
      'new-device': {
        title: '새 브라우저에서 로그인했습니다',
        text: '이 계정에서 사용한 적이 없는 브라우저로 로그인했습니다.',
      },
      'password-changed': {
        title: '비밀번호가 변경되었습니다',
        text: '계정의 비밀번호가 변경되었습니다.',
      },
      'password-reset': {
        title: '비밀번호가 재설정되었습니다',
        text: '계정에 새 비밀번호가 설정되었습니다.',
      },
      'token-reuse': {
        title: '세션이 종료되었습니다',
        text: '로그인 정보가 두 번 사용되어 계정의 세션을 종료했습니다. 다른 사람이 로그인 정보를 복사했을 수 있습니다. 계속하려면 다시 로그인하십시오.',
      },
    },
    codesLeft: (count) => `사용하지 않은 백업 코드가 ${count}개 남았습니다.`,
    codesLow: '휴대전화 없이도 로그인할 수 있도록 로그인하여 새 백업 코드를 발급받으십시오.',
  },
};
