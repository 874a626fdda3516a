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
  return new Promise<T | L>((resolve, reject) => {
    let lastTurn: NodeJS.Immediate | undefined;
    const giveUp = (): void => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error as Error);
      }
    };
    const timer = setTimeout(() => {
      if (readsSocketsFirst) lastTurn = setImmediate(giveUp);
      else giveUp();
    }, limitMillis);
    const cancel = (): void => {
      clearTimeout(timer);
      clearImmediate(lastTurn);
    };
    work.then(
      (result) => {
        cancel();
        resolve(result);
      },
      (error: unknown) => {
        cancel();
        reject(error as Error);
      },
    );
  });
}
