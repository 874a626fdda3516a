import { describe, expect, it } from 'vitest';
import { readMetadataXml } from './metadata-allowlist.js';

describe('readMetadataXml', () => {
  it('reads comments, CDATA, processing instructions and spaces in closing tags', () => {
    const xml =
      '<?xml version="1.0" encoding="US-ASCII"?>\n<!-- <!DOCTYPE a> --><?style x?>\n' +
      '<a xmlns="urn:a">b<!-- c -->d<![CDATA[<&>]]>&amp;<?e f?><g></g >\u2028</a >\n<!-- end -->';

    expect(readMetadataXml(xml)).toMatchObject({
      name: 'a',
      namespace: 'urn:a',
      text: 'bd<&>&\u2028',
      children: [{ name: 'g', namespace: 'urn:a', text: '' }],
    });
  });

  it.each([
    ['a comment with two hyphens', '<a><!-- -- --></a>', 'not well-formed XML (line 1)'],
    ['an unclosed comment', '<a>\n<!-- </a>', 'not well-formed XML (line 2)'],
    ['unclosed CDATA', '<a>\n\n<![CDATA[</a>', 'not well-formed XML (line 3)'],
    ['a DOCTYPE after a comment', '<!-- --><!doctype a><a/>', 'contains a DOCTYPE'],
    ['an entity declaration', '<a><!ENTITY b "c"></a>', 'not well-formed XML (line 1)'],
    ['an entity that XML does not define', '<a>&nbsp;</a>', 'not well-formed XML (line 1)'],
    ['a control character', '<a>\n\u0008</a>', 'not well-formed XML (line 2)'],
    ['two root elements', '<a/><b/>', 'not well-formed XML (line 1)'],
    ['text after the root element', '<a/>b', 'not well-formed XML (line 1)'],
    ['UTF-16', '<?xml version="1.0" encoding="UTF-16"?><a/>', 'not in UTF-8'],
    ['only a comment', '<!-- -->', 'empty'],
  ])('X11: rejects %s', (_title, xml, problem) => {
    expect(readMetadataXml(xml)).toEqual({ problem });
  });

  const LENGTH = 5 * 1024 * 1024 - 100;
  const filled = (part: string): string => part.repeat(Math.floor(LENGTH / part.length));

  it.each([
    ['unclosed tags', filled('<a>')],
    ['unclosed comments', `<a>${filled('<!--')}`],
    ['unclosed CDATA', `<a>${filled('<![CDATA[')}`],
    ['attributes', `<a ${filled('b="" ')}/>`],
    ['closing tags', `<a>${filled('</b>')}`],
    ['undeclared entities', `<a>${filled('&lol;')}</a>`],
    ['namespace declarations', `<a ${Array.from({ length: 900 }, (_, n) => `xmlns:a${n}="u"`).join(' ')}/>`],
  ])('X11: rejects five megabytes of %s', (_title, xml) => {
    expect(readMetadataXml(xml)).toHaveProperty('problem');
  });
});
