import type { Clock } from '@quartermaster/kernel';

/** Who writes a record: the kernel itself, or a person by way of /dev/kmsg. */
type Author = 'kernel' | 'person';

const priorities: Readonly<Record<Author, number>> = { kernel: 3, person: 12 };
const maxRecords = 1_000;

/** The log of a simulated kernel since the machine started, with records as /dev/kmsg gives them. */
export class SimulatedKernelLog {
  readonly #clock: Clock;
  /** Whole seconds, as the kernel tells it. */
  readonly startedAt: number;
  readonly #records: string[] = [];
  #sequence = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.startedAt = Math.floor(clock.now() / 1000) * 1000;
  }

  /** NVIDIA's driver reports an error of a card. */
  xid(pciAddress: string, code: number): void {
    const place = pciAddress.replace(/\.[0-7]$/, '');
    this.#write('kernel', `NVRM: Xid (PCI:${place}): ${code}, pid='<unknown>', name=<unknown>, simulated`);
  }

  /** A person reset the card and says so. */
  fit(pciAddress: string): void {
    this.#write('person', `quartermaster: gpu ${pciAddress} is fit`);
  }

  /** Another one at every start of the machine. */
  get bootId(): string {
    return `00000000-0000-4000-8000-${(this.startedAt / 1000).toString(16).padStart(12, '0')}`;
  }

  text(): string {
    return this.#records.map((record) => `${record}\n`).join('');
  }

  #write(author: Author, text: string): void {
    const microseconds = Math.max(Math.round((this.#clock.now() - this.startedAt) * 1000), 0);
    this.#records.push(`${priorities[author]},${this.#sequence},${microseconds},-;${text}`);
    this.#sequence += 1;
    if (this.#records.length > maxRecords) this.#records.shift();
  }
}
