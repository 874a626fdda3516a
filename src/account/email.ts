const LONGEST = 254;
const FORM = /^[^\s@\p{Cc}\p{Cf}<>"(),:;\\[\]]{1,64}@[^\s@\p{Cc}\p{Cf}<>"(),:;\\[\]]+$/u;

/** Whether mail can be sent there, by form alone: one `@`, and nothing that has a meaning in a header. */
export function isEmail(text: string): boolean {
  return text.isWellFormed() && text.length <= LONGEST && FORM.test(text);
}
