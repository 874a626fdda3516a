import { describe, expect, it } from 'vitest';
import { messagesOf } from '../messages/messages.js';
import { layOutMail, mailFooter, mailValue } from './mail-layout.js';

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
    expect(mailValue(value)).toBe(expected);
  });
});

describe.each(['en', 'ko'] as const)('mailFooter in %s', (language) => {
  const messages = messagesOf(language);
  const { common, notices } = messages;
  const written = (brand: Parameters<typeof mailFooter>[0]): ReturnType<typeof layOutMail> =>
    layOutMail({ tag: messages.tag, title: 'T', parts: [mailFooter(brand, messages)] });

  it('tells how to reach the help desk, and both forms keep the texts inert', () => {
    const helpContact = 'IT "desk" & friends, +82 2 123 4567';
    const { text, html } = written({ name: 'Acme & Co', helpContact, helpUrl: 'https://help.example.com/?a=1&b=2' });

    expect(text).toBe(
      `-- \n${notices.footer('Acme & Co')}\n${common.contact(helpContact)}\n${common.help}: https://help.example.com/?a=1&b=2\n`,
    );
    expect(html).toContain(`<br>${common.contact('IT &quot;desk&quot; &amp; friends, +82 2 123 4567')}<br>`);
    expect(html).toContain(`<a href="https://help.example.com/?a=1&amp;b=2">${common.help}</a>`);
  });

  it.each([undefined, '/help'])(
    'names no help desk that is not configured, and no link that leads nowhere: %s',
    (helpUrl) => {
      const { text, html } = written({ name: 'Acme', helpUrl });

      expect(text).toBe(`-- \n${notices.footer('Acme')}\n`);
      expect(html).not.toMatch(/<br>|<a /);
    },
  );
});
