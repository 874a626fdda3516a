import { describe, expect, it } from 'vitest';
import { gitInfo, osInfo, processInfo, runtimeInfo } from './contributors.js';

const git = {
  branch: 'main',
  commit: {
    id: { abbrev: '3fa0c1d', full: '3fa0c1d9a3b1c2d4e5f60718293a4b5c6d7e8f90' },
    time: '2031-04-30T21:11:05Z',
    message: { short: 'fix: a thing' },
  },
  dirty: false,
};

describe('the git contributor', () => {
  it('returns branch, abbreviated id and time in mode simple', () => {
    expect(gitInfo(git, 'simple')).toEqual({
      branch: 'main',
      commit: { id: '3fa0c1d', time: '2031-04-30T21:11:05Z' },
    });
  });

  it('returns all packaged data in mode full', () => {
    expect(gitInfo(git, 'full')).toEqual(git);
  });

  it('omits the branch if none was checked out', () => {
    const { commit, dirty } = git;

    expect(gitInfo({ commit, dirty }, 'simple')).toEqual({ commit: { id: '3fa0c1d', time: '2031-04-30T21:11:05Z' } });
  });
});

it('the info contributors describe process, operating system and runtime', () => {
  expect(processInfo()).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  expect(osInfo()).toMatchObject({ arch: process.arch });
  expect(runtimeInfo()).toEqual({ name: 'node', version: process.versions.node });
});
