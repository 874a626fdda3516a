/** Keys of the leading consonants, vowels and trailing consonants in the order of Unicode (KS X 5002, the Dubeolsik layout). */
const LEADING = 'r R s e E f a q Q t T d w W c z x v g'.split(' ');
const VOWELS = 'k o i O j p u P h hk ho hl y n nj np nl b m ml l'.split(' ');
const TRAILING = ['', ...'r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g'.split(' ')];

const FIRST_SYLLABLE = 0xac00;
const SYLLABLES = /[가-힣]/gu;
const HANGUL = /[가-힣]/u;

export function hasHangul(text: string): boolean {
  return HANGUL.test(text);
}

/** Returns the Latin letters of the keys that type a Korean text: `qlalfqjsgh` for 비밀번호. */
export function latinKeys(text: string): string {
  return text.replace(SYLLABLES, (syllable) => {
    const index = syllable.charCodeAt(0) - FIRST_SYLLABLE;
    const trailing = index % TRAILING.length;
    const vowel = Math.floor(index / TRAILING.length) % VOWELS.length;
    const leading = Math.floor(index / (TRAILING.length * VOWELS.length));
    return `${LEADING[leading] ?? ''}${VOWELS[vowel] ?? ''}${TRAILING[trailing] ?? ''}`;
  });
}
