import { from, type Problem, problem } from '../../../config/problem.js';
import type { Position } from '../../../config/read/origin.js';

/** A defect of a mapper file at its position. */
export interface MapperProblem {
  readonly at: Position;
  /** A sentence without a full stop. */
  readonly what: string;
  readonly reason?: string | undefined;
}

/** The faults of all mapper files; one that is found for several engines is reported once. */
export class MapperProblems {
  private readonly found = new Map<string, Problem>();
  private readonly located = new Map<string, Pick<MapperProblem, 'at'> & { readonly item: Problem }>();

  add({ at, what, reason }: MapperProblem): void {
    const item = problem(what, 'Correct the mapper file at the position given.', { Origin: from(at), Reason: reason });
    this.located.set(JSON.stringify(item), { at, item });
  }

  /** Adds a problem that has no position in a mapper file. */
  addProblem(item: Problem): void {
    this.found.set(JSON.stringify(item), item);
  }

  /** By file and position. */
  get problems(): readonly Problem[] {
    const sorted = [...this.located.values()].sort(({ at: a }, { at: b }) => {
      const [first, second] = [a.resource.path, b.resource.path];
      if (first !== second) return first < second ? -1 : 1;
      return a.line - b.line || a.column - b.column;
    });
    return [...this.found.values(), ...sorted.map(({ item }) => item)];
  }
}
