import { Controller, Get, Post } from '@nestjs/common';
import { Res, type Reply } from '../../../src/platform/web/cookies.js';
import { HttpError } from '../../../src/platform/http/errors/http-error.js';

const SECRET = 'SELECT secret FROM /etc/passwd';

/** Responses that cannot be sent, and errors that cannot be logged. */
@Controller('broken')
export class BrokenController {
  /** The path is invalid in a cookie, so the response cannot be built. */
  @Get('cookie')
  cookie(@Res() reply: Reply): object {
    reply.setCookie('SESSION', SECRET, { httpOnly: true, secure: true, sameSite: 'strict', path: '/;\n' });
    return { text: SECRET };
  }

  @Get('error')
  error(): never {
    throw unreadable();
  }

  @Post('error')
  postedError(): never {
    throw unreadable();
  }

  @Get('refusal')
  refusal(): never {
    throw new HttpError('ACCESS_DENIED', { challenge: `Bearer error="${SECRET}\n"` });
  }

  @Get('body')
  body(): object {
    return {
      toJSON: () => {
        throw new TypeError(SECRET);
      },
    };
  }
}

/** An error whose stack trace cannot be read. */
function unreadable(): Error {
  return Object.defineProperty(new TypeError(SECRET), 'stack', {
    get: () => {
      throw new TypeError(SECRET);
    },
  });
}
