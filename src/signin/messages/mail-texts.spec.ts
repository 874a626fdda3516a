import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../identity/account/language.js';
import { layOutMail } from '../../platform/mail/mail-layout.js';
import { mailFooter } from './mail-texts.js';
import { messagesOf } from './messages.js';

describe.each(LANGUAGES)('mailFooter in %s', (language) => {
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
