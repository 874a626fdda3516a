import { full } from '../../config/bind/effect.js';
import { map, text } from '../../config/bind/key-type.js';
import { Key, Properties } from '../../config/bind/properties.decorator.js';

/** Address of a link on a page. */
const link = text({
  form: /^(?:https?:\/\/[^\s"'<>]+|mailto:[^\s"'<>]+|tel:[\d+() -]+|\/[^\s"'<>/][^\s"'<>]*)$/,
  called: 'a link that begins with https://, http://, mailto:, tel: or a single slash',
});

@Properties('app.branding')
export class BrandingProperties {
  @Key(text({ form: /^[^\p{Cc}<>]{1,60}$/u, called: 'a name of 1 to 60 characters' }), {
    does: 'Name of the service on its pages and in its mails.',
    effect: full,
  })
  readonly name: string = 'Login service';

  @Key(text(), {
    does:
      'Path of a logo (SVG, PNG, JPEG or WebP, at most 100 kB), which pages show above the name. Pages load it from the ' +
      'service; scripts in an SVG do not run.',
    effect: full,
    defaultText: 'none',
  })
  readonly logo?: string;

  @Key(text({ form: /^#[\da-f]{6}$/i, called: 'a colour such as #1f5fbf' }), {
    does:
      'Colour of buttons and links. Pages darken or lighten it where texts in it would be hard to read (contrast below ' +
      '4.5 to 1, WCAG 2.2).',
    effect: full,
  })
  readonly accentColor: string = '#2456c7';

  @Key(link, {
    does: 'Link to help or to the help desk at the end of every page, and of every mail unless it is a path.',
    effect: full,
    defaultText: 'none',
  })
  readonly helpUrl?: string;

  @Key(text({ form: /^[^\p{Cc}<>]{1,200}$/u, called: 'a text of 1 to 200 characters' }), {
    does:
      'How to reach the help desk, such as a telephone number: at the end of every page and mail, and where users cannot ' +
      'help themselves.',
    effect: full,
    defaultText: 'none',
  })
  readonly helpContact?: string;

  @Key(map(link, 'label'), {
    does:
      'Links at the end of every page by their label, such as app.branding.legal-links.Privacy: https://…; labels ' +
      'are shown as they are written.',
    effect: full,
    defaultText: 'none',
  })
  readonly legalLinks: ReadonlyMap<string, string> = new Map();
}
