import { type Command, InvalidArgumentError } from 'commander';

const DEFAULT_LIMIT = 50;

/** Adds the option `--limit`, the number of items of one page, to a command that lists them. */
export function withLimit(command: Command, items: 'users' | 'mails' | 'events', max: number): Command {
  const limitOf = (text: string): number => {
    const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    if (limit < 1 || limit > max) throw new InvalidArgumentError(`A page has 1 to ${max} ${items}.`);
    return limit;
  };
  return command.option('--limit <number>', `${items} of one page, at most ${max}`, limitOf, DEFAULT_LIMIT);
}
