import { describe, expect, it } from 'vitest';
import { layOutMail } from './mail-layout.js';

describe('layOutMail', () => {
  it('both forms contain every part, and the HTML form escapes values', () => {
    const { text, html } = layOutMail({
      tag: 'en',
      title: 'Title & more',
      parts: [
        { kind: 'text', text: 'It happened.' },
        { kind: 'facts', facts: [['Account', '<b>anna</b>\r\nTime: never']] },
        { kind: 'link', label: 'Open', url: 'https://login.example.com/?a=1&b=2' },
        { kind: 'footer', lines: ['Automatic.'] },
      ],
    });

    expect(text).toBe(
      'It happened.\n\nAccount: <b>anna</b> Time: never\n\nOpen:\nhttps://login.example.com/?a=1&b=2\n\n-- \nAutomatic.\n',
    );
    expect(html).toContain('Title &amp; more');
    expect(html).toContain('&lt;b&gt;anna&lt;/b&gt; Time: never');
    expect(html).toContain('href="https://login.example.com/?a=1&amp;b=2"');
  });

  it.each([
    ['line breaks', 'a\r\nb\u2028c', 'a b c'],
    ['characters that reverse the direction of text', 'a\u202eb', 'a b'],
    ['lone surrogates', 'a\ud800', 'a\ufffd'],
    ['more than 255 characters', 'x'.repeat(300), 'x'.repeat(255)],
  ])('a value contains no %s', (_, value, expected) => {
    const { text } = layOutMail({ tag: 'en', title: 'T', parts: [{ kind: 'facts', facts: [['Account', value]] }] });

    expect(text).toBe(`Account: ${expected}\n`);
  });
});
