import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Meters } from '../../observability/metrics/meters.js';
import { SslChains } from './ssl-chains.service.js';

const NAME = 'ssl.chain.expiry';
const FACTS = {
  description: 'Time until the first certificate of a chain expires; negative after it has expired',
  baseUnit: 'seconds',
};
/** Name of the one chain of a bundle, as Spring Boot names that of a PEM bundle. */
const CHAIN = 'ssl';

/** Measures the remaining time of the certificates of all bundles. */
@Injectable()
export class SslMeters implements OnApplicationBootstrap, OnApplicationShutdown {
  private stop: (() => void) | undefined;

  constructor(
    private readonly chains: SslChains,
    private readonly clock: Clock,
    private readonly meters: Meters,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.chains.isEmpty) return;
    await this.update();
    this.stop = await this.chains.watch(() => void this.update());
  }

  onApplicationShutdown(): void {
    this.stop?.();
  }

  /** A new certificate has another serial number, so all series are set again. A bundle that cannot be read has none. */
  private async update(): Promise<void> {
    const chains = await this.chains.current();
    this.meters.find(NAME)?.clear();
    for (const found of chains) {
      const first = 'chain' in found ? found.chain.toSorted((a, b) => endOf(a) - endOf(b))[0] : undefined;
      if (!first) continue;
      const left = (): number => (endOf(first) - this.clock.millis()) / 1000;
      const certificate = first.serialNumber.toLowerCase();
      this.meters.gauge(NAME, FACTS, left, { bundle: found.bundle, chain: CHAIN, certificate });
    }
  }
}

function endOf({ validTo }: { readonly validTo: string }): number {
  return Date.parse(validTo);
}
