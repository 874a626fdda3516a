/** Thrown when code reads a value that could not be bound; the problem itself is already reported. */
export class UnboundValue extends Error {
  constructor(property: string) {
    super(`${property} could not be bound`);
    this.name = 'UnboundValue';
  }
}

/** Makes the property throw when it is read, so that its default is not mistaken for the configured value. */
export function leaveUnbound(instance: object, property: string): void {
  Object.defineProperty(instance, property, {
    enumerable: true,
    configurable: true,
    get: () => {
      throw new UnboundValue(property);
    },
  });
}

/** Returns the result of `read`, or `otherwise` if it needs a value that could not be bound. */
export function ifBound<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnboundValue) return otherwise;
    throw error;
  }
}
