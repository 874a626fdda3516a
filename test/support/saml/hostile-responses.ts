import { HOSTILE_ANSWERS } from './hostile-answers.js';
import { HOSTILE_MARKUP } from './hostile-markup.js';
import { HOSTILE_KEYS, HOSTILE_MESSAGES } from './hostile-messages.js';
import type { HostileResponse } from './hostile-scene.js';
import { HOSTILE_SIGNATURES } from './hostile-signatures.js';
import { HOSTILE_STATEMENTS } from './hostile-statements.js';

/** All hostile responses, X1 to X17 of security-requirements.md and M1; each must be rejected. */
export const HOSTILE_RESPONSES: readonly HostileResponse[] = [
  ...HOSTILE_SIGNATURES,
  ...HOSTILE_MARKUP,
  ...HOSTILE_ANSWERS,
  ...HOSTILE_STATEMENTS,
  ...HOSTILE_MESSAGES,
  ...HOSTILE_KEYS,
];
