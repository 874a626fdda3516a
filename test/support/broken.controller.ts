import { Controller, Get, Post } from '@nestjs/common';
import { Answer, type Reply } from '../../src/web/cookies.js';
import { ServiceError } from '../../src/errors/service-error.js';

const SECRET = 'SELECT secret FROM /etc/passwd';

/** Answers that cannot be sent, and errors that cannot be told. */
@Controller('broken')
export class BrokenController {
  /** No browser would take the path, so the cookie is not written, whatever the answer. */
  @Get('cookie')
  cookie(@Answer() reply: Reply): object {
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
    throw new ServiceError('ACCESS_DENIED', { challenge: `Bearer error="${SECRET}\n"` });
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

/** An error whose trace cannot be had. */
function unreadable(): Error {
  return Object.defineProperty(new TypeError(SECRET), 'stack', {
    get: () => {
      throw new TypeError(SECRET);
    },
  });
}
