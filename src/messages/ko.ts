import type { Messages } from './messages.js';

/** Korean. */
export const ko: Messages = {
  tag: 'ko',
  languageName: '한국어',
};
