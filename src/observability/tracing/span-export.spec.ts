import { ExportResultCode } from '@opentelemetry/core';
import { expect, it } from 'vitest';
import { type DropReason, SpanExport } from './span-export.js';

it('a batch whose delivery fails in an unexpected way is counted as dropped, and the next one follows', async () => {
  const dropped: DropReason[] = [];
  const defect = { send: () => Promise.reject(new TypeError('unexpected')) };
  const spans = new SpanExport(
    defect,
    { maxQueueSize: 10, scheduleDelayMillis: 1000 },
    {
      exported: () => undefined,
      dropped: (_, reason) => dropped.push(reason),
      failing: () => undefined,
      recovered: () => undefined,
    },
  );

  const result = await new Promise((resolve) => {
    spans.export([], resolve);
  });

  expect(result).toEqual({ code: ExportResultCode.FAILED });
  expect(dropped).toEqual(['not_delivered']);
});
