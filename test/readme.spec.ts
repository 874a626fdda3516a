import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { messagesOf } from '../src/signin/messages/messages.js';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('the README', () => {
  it('names the buttons of the first use as the pages do', () => {
    const { signIn, setup, codes } = messagesOf('en');
    const firstUse = /^## First use\n(.*?)(?=^## )/ms.exec(README)?.[1] ?? '';
    const buttons = Array.from(firstUse.matchAll(/press\s+\*\*([^*]+)\*\*/gi), ([, label]) => label);

    expect(buttons).toEqual([signIn.title, setup.useApp, setup.confirm, codes.saved]);
  });

  it('shows pictures and links to pages that exist', () => {
    const targets = Array.from(README.matchAll(/src="([^"]+)"|\]\(([^)#\s]+)/g), ([, src, page]) => src ?? page ?? '');
    const local = targets.filter((target) => !target.startsWith('http'));

    expect(local.length).toBeGreaterThan(10);
    expect(local.filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });
});
