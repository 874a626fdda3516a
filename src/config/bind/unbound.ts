/** Somebody asks for a value that could not be bound, which is a problem of the reading already. */
export class UnboundValue extends Error {
  constructor(property: string) {
    super(`${property} could not be bound`);
    this.name = 'UnboundValue';
  }
}

/** Whoever looks at the property from now on hears of it, and does not take the default for what was configured. */
export function leaveUnbound(instance: object, property: string): void {
  Object.defineProperty(instance, property, {
    enumerable: true,
    configurable: true,
    get: () => {
      throw new UnboundValue(property);
    },
  });
}

/** What `read` answers; `otherwise` where it needs a value that could not be bound. */
export function ifBound<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnboundValue) return otherwise;
    throw error;
  }
}
