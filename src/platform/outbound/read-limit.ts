import type { Dispatcher } from 'undici';
import { OutboundFailure, secondsText } from './outbound-failure.js';

/** Ends a call if the response does not begin in time, or stops between two parts. */
export function limitReads(readMillis: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, limited(handler, readMillis));
}

function limited(handler: Dispatcher.DispatchHandler, readMillis: number): Dispatcher.DispatchHandler {
  let timer: NodeJS.Timeout | undefined;
  const restart = (controller: Dispatcher.DispatchController): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const message = `no further part of the response within ${secondsText(readMillis)}`;
      controller.abort(new OutboundFailure('READ_TIMEOUT', message));
    }, readMillis);
  };
  return {
    // Called when the request is written to a connection, so that the limit of the connection ends before this one begins.
    onRequestStart(controller, context) {
      restart(controller);
      handler.onRequestStart?.(controller, context);
    },
    onResponseStart(controller, status, headers, message) {
      // Informational responses may follow each other without an end.
      if (status >= 200) restart(controller);
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData(controller, chunk) {
      restart(controller);
      handler.onResponseData?.(controller, chunk);
    },
    onResponseEnd(controller, trailers) {
      clearTimeout(timer);
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError(controller, error) {
      clearTimeout(timer);
      handler.onResponseError?.(controller, error);
    },
  };
}
