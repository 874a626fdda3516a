import { Injectable } from '@nestjs/common';
import { Replicas } from '../../../management/replicas/replicas.service.js';
import { MailBacklog } from '../../../platform/mail/mail-backlog.service.js';
import { WebhookDeliveries } from '../../webhook/webhook-deliveries.service.js';
import { Certificates } from './certificates.service.js';
import type { SystemState } from './overview.js';

/** Reads the state of the instances and of what they send. */
@Injectable()
export class SystemStates {
  constructor(
    private readonly mails: MailBacklog,
    private readonly webhook: WebhookDeliveries,
    private readonly replicas: Replicas,
    private readonly certificates: Certificates,
  ) {}

  async read(): Promise<SystemState> {
    const [mails, deliveries, replicas, certificates] = await Promise.all([
      this.mails.count(),
      this.webhook.counts(),
      this.replicas.list(),
      this.certificates.list(),
    ]);
    return { mails, deliveries, replicas, certificates };
  }
}
