interface TimeoutOptions {
  /**
   * Waits one more turn of the event loop: a busy process runs its late timers before it reads its sockets, where the
   * result may already be.
   */
  readonly readsSocketsFirst?: boolean;
}

/** The result of `work`, or that of `onTimeout` after `limitMillis`; `onTimeout` may throw. The work itself continues. */
export function withTimeout<T, L>(
  work: Promise<T>,
  limitMillis: number,
  onTimeout: () => L,
  { readsSocketsFirst = false }: TimeoutOptions = {},
): Promise<T | L> {
  return new Promise<T | L>((resolve) => {
    let lastTurn: NodeJS.Immediate | undefined;
    const giveUp = (): void => {
      resolve(Promise.resolve().then(onTimeout));
    };
    const timer = setTimeout(() => {
      if (readsSocketsFirst) lastTurn = setImmediate(giveUp);
      else giveUp();
    }, limitMillis);
    const end = (): void => {
      clearTimeout(timer);
      clearImmediate(lastTurn);
    };
    // After the timeout, this has no effect. Resolving with the value takes fewer turns than resolving with the promise.
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      () => {
        end();
        resolve(work);
      },
    );
  });
}
