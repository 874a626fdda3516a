import {
  Body,
  type CanActivate,
  Controller,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import * as v from 'valibot';
import { type ErrorCode, STATUS } from '../../../src/kernel/errors/error-code.js';
import { ServiceError } from '../../../src/kernel/errors/service-error.js';
import { HttpError } from '../../../src/platform/http/errors/http-error.js';
import { type RequestContext, requestContext } from '../../../src/kernel/principal/request-context.js';
import { Res, type CookieValues, Cookies, type Reply } from '../../../src/platform/web/cookies.js';
import { FormBody } from '../../../src/platform/web/route.decorator.js';
import { paginationSchema, text } from '../../../src/platform/web/schema.js';

const noteSchema = v.strictObject({
  text: v.pipe(v.string(), v.minLength(1), v.maxBytes(16)),
  count: v.optional(v.pipe(v.number(), v.integer(), v.maxValue(9))),
  kind: v.optional(v.picklist(['note', 'memo'])),
  tags: v.optional(
    v.array(
      v.pipe(
        v.string(),
        v.check((tag) => tag !== 'bad', 'too_short'),
      ),
    ),
  ),
});
const anySchema = v.optional(v.unknown());

export const PIXEL = Buffer.from('iVBORw0KGgo=', 'base64');

class NeverGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

/** Routes that show tests how the HTTP layer handles requests and errors. */
@Controller()
export class EchoController {
  @Post('note')
  @HttpCode(200)
  note(@Body({ schema: noteSchema }) body: v.InferOutput<typeof noteSchema>): object {
    return body;
  }

  @Post('any')
  @HttpCode(200)
  any(@Body({ schema: anySchema }) body: unknown): object {
    return { body };
  }

  @Post('nothing')
  @HttpCode(204)
  nothing(): void {
    // Tests use only the validation of the request.
  }

  @Post('form')
  @FormBody()
  @HttpCode(200)
  form(@Body({ schema: v.strictObject({ token: text(20) }) }) body: object): object {
    return body;
  }

  @Get('items/:id')
  item(
    @Param('id', { schema: text(5) }) id: string,
    @Query({ schema: paginationSchema }) page: v.InferOutput<typeof paginationSchema>,
  ): object {
    return { id, page };
  }

  @Get('facts')
  async facts(): Promise<RequestContext | undefined> {
    await Promise.resolve();
    return requestContext();
  }

  @Post('facts')
  postedFacts(): RequestContext | undefined {
    return requestContext();
  }

  @Post('cookies')
  @HttpCode(200)
  cookies(@Cookies() cookies: CookieValues, @Res() reply: Reply): object {
    const attributes = { httpOnly: true, secure: true, sameSite: 'strict', path: '/token' } as const;
    reply.setCookie('refresh_token', 'a.b-c_d', { ...attributes, maxAge: 60 });
    reply.clearCookie('SESSION', { ...attributes, path: '/' });
    return { ...cookies };
  }

  @Get('pixel.png')
  @Header('content-type', 'image/png')
  pixel(): Buffer {
    return PIXEL;
  }

  @Get('picture.svg')
  @Header('content-type', 'image/svg+xml')
  picture(): string {
    return '<svg/>';
  }

  @Get('keys')
  @Header('cache-control', 'max-age=300')
  keys(@Query({ schema: v.strictObject({ fail: v.optional(v.string()) }) }) { fail }: { fail?: string }): object {
    if (fail !== undefined) throw new ServiceError('UNAVAILABLE');
    return { keys: [] };
  }

  @Get('defect')
  defect(): never {
    throw new TypeError('SELECT secret\nFROM /etc/passwd');
  }

  @Get('no-error')
  noError(): never {
    // A careless library might throw a string.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw 'text';
  }

  @Get('refused/:code')
  refused(@Param('code') code: string): never {
    throw new ServiceError(isErrorCode(code) ? code : 'NOT_FOUND', { reason: 'no such session' });
  }

  @Get('challenged')
  challenged(): never {
    throw new HttpError('INVALID_TOKEN', { challenge: 'Bearer error="invalid_token"' });
  }

  @Get('locked')
  locked(): never {
    throw new ServiceError('MFA_LOCKED', { retryAfterSeconds: 299.2 });
  }

  @Get('denied')
  @UseGuards(new NeverGuard())
  denied(): object {
    return {};
  }
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(STATUS, text);
}
