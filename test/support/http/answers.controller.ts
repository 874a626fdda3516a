import { Controller, Get, Header } from '@nestjs/common';
import * as v from 'valibot';
import { WithRouteOptions } from '../../../src/platform/http/route-options.decorator.js';

const datedSchema = v.object({ at: v.date(), device: v.nullable(v.string()), list: v.array(v.unknown()) });

/** 00:15 in Seoul, where the next day has begun. */
const INSTANT = new Date('2026-11-20T15:15:00.250Z');
export const PAGE = '<p>한 ü</p>';

/** Responses of all kinds, for tests of serialization and content types. */
@Controller()
export class AnswersController {
  @Get('dated')
  @WithRouteOptions({ responseSchema: datedSchema })
  dated(): object {
    return { at: INSTANT, device: null, idp: null, note: '', list: [null, { at: INSTANT, ip: null }], name: '한' };
  }

  @Get('key-set')
  @Header('content-type', 'application/jwk-set+json')
  keySet(): object {
    return { keys: [] };
  }

  @Get('description')
  @Header('content-type', 'application/json')
  description(): string {
    return '{ "title": "한", "default": null }';
  }

  @Get('page')
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return PAGE;
  }

  @Get('words')
  words(): string {
    return 'ü';
  }

  @Get('nobody')
  nobody(): null {
    return null;
  }
}
