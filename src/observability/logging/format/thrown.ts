import { shownText } from './shown-text.js';

/** One error of a chain, with secrets masked. */
export interface ThrownPart {
  /** Relation to the previous error; empty for the first. */
  readonly link: '' | 'Caused by: ' | 'With: ';
  readonly type: string;
  readonly message: string;
  /** Stack frames, innermost first, each as `at …`. */
  readonly frames: readonly string[];
}

const MAX_PARTS = 6;
const MAX_FRAMES = 50;
const MAX_MESSAGE_LENGTH = 2000;
const MAX_FRAME_LENGTH = 400;
const FRAME = /^\s*(at\s.*)$/;

/** Lists a thrown value, its causes, and the errors of an aggregate, such as those of several addresses. */
export function thrownParts(thrown: unknown): readonly ThrownPart[] {
  const parts: ThrownPart[] = [];
  const seen = new Set<unknown>();
  const add = (value: unknown, link: ThrownPart['link']): void => {
    if (value === undefined || seen.has(value) || parts.length >= MAX_PARTS) return;
    seen.add(value);
    if (!(value instanceof Error)) {
      // Other values may contain secrets, such as a request with its password.
      parts.push({ link, type: typeof value, message: 'not an error', frames: [] });
      return;
    }
    parts.push(partOf(value, link));
    if (value instanceof AggregateError) for (const each of value.errors as unknown[]) add(each, 'With: ');
    add(value.cause, 'Caused by: ');
  };
  try {
    add(thrown, '');
  } catch {
    parts.push({ link: '', type: 'Error', message: 'an error that cannot be read', frames: [] });
  }
  return parts;
}

/** Writes a line for each error and at most `frames` stack frames; no further line can be taken for a new log line. */
export function thrownText(thrown: unknown, frames = MAX_FRAMES): string {
  let text = '';
  for (const part of thrownParts(thrown)) {
    text += `${part.link}${titleOf(part)}\n`;
    for (const frame of part.frames.slice(0, frames)) text += `    ${frame}\n`;
    const more = part.frames.length - frames;
    if (more > 0 && frames > 0) text += `    ... ${more} more\n`;
  }
  return text;
}

function titleOf({ type, message }: Pick<ThrownPart, 'type' | 'message'>): string {
  return message === '' ? type : `${type}: ${message}`;
}

function partOf(error: Error, link: ThrownPart['link']): ThrownPart {
  const { name, message, stack = '' } = error;
  return {
    link,
    type: shownText(name, MAX_FRAME_LENGTH),
    message: shownText(message, MAX_MESSAGE_LENGTH),
    frames: framesOf(stack, message),
  };
}

/** Removes the message from a stack, because its lines could look like stack frames. */
function framesOf(stack: string, message: string): readonly string[] {
  const end = message === '' ? -1 : stack.indexOf(message);
  const places = end < 0 ? stack : stack.slice(end + message.length);
  const frames: string[] = [];
  for (const line of places.split('\n')) {
    const [, frame] = FRAME.exec(line) ?? [];
    if (frame !== undefined) frames.push(shownText(frame, MAX_FRAME_LENGTH));
    if (frames.length >= MAX_FRAMES) break;
  }
  return frames;
}
