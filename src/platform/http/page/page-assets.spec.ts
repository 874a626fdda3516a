import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { LogoProblem } from '../../branding/logo.js';
import { PageAssets } from './page-assets.js';

const BLUE = '#2456c7';
const folder = temporaryFolder('assets');

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function folderOf(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

describe('the files of the pages', () => {
  it('have names that change with their content only', () => {
    const [one, same, other] = [BLUE, BLUE, '#b03060'].map((accentColor) => new PageAssets({ accentColor }));

    expect(same?.styleName).toBe(one?.styleName);
    expect(other?.styleName).not.toBe(one?.styleName);
    expect(other?.iconName).not.toBe(one?.iconName);
    expect(other?.scriptName).toBe(one?.scriptName);
    expect(one?.styleName).toMatch(/^portal-[\w-]{12}\.css$/);
  });

  it('a file of another version is found by its name and kind', () => {
    const assets = new PageAssets({ accentColor: BLUE });

    expect(assets.findOtherVersion('portal-AAAAAAAAAAAA.css')).toBe(assets.find(assets.styleName));
    expect(assets.findOtherVersion('portal-AAAA-AAAA_AA.js')).toBe(assets.find(assets.scriptName));
  });

  it.each(['portal-AAAAAAAAAAAA.html', 'other-AAAAAAAAAAAA.css', '../portal.css', 'constructor', ''])(
    'do not include %j',
    (name) => {
      const assets = new PageAssets({ accentColor: BLUE });

      expect(assets.find(name)).toBeUndefined();
      expect(assets.findOtherVersion(name)).toBeUndefined();
    },
  );

  it('include the logo under a name that changes with its content', () => {
    const first = new PageAssets({ accentColor: BLUE, logo: fileOf('one.svg', '<svg/>') });
    const second = new PageAssets({ accentColor: BLUE, logo: fileOf('two.PNG', 'png') });

    expect(first.logoName).toMatch(/^logo-[\w-]{12}\.svg$/);
    expect(second.logoName).toMatch(/^logo-[\w-]{12}\.png$/);
    expect(first.find(first.logoName ?? '')?.mediaType).toBe('image/svg+xml');
  });

  it.each([
    ['with an unknown ending', () => fileOf('logo.html', '<b>'), 'the logo must be an .svg, .png, .jpg or .webp file'],
    ['of more than 100 kB', () => fileOf('large.png', Buffer.alloc(102_401)), 'the logo is larger than 100 kB'],
    ['that does not exist', () => join(folder, 'none.svg'), 'the logo cannot be read (ENOENT)'],
    ['that is a folder', () => folderOf('folder.svg'), 'the logo cannot be read (EISDIR)'],
  ])('reject a logo %s', (_, path, message) => {
    expect(() => new PageAssets({ accentColor: BLUE, logo: path() })).toThrow(new LogoProblem(message));
  });
});
