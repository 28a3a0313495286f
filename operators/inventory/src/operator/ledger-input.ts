import type { HardwareFacts, HardwareStatus } from '@quartermaster/api/node-hardware';
import type { Clock } from '@quartermaster/kernel';
import { defaultInventoryConfig, type InventoryConfig } from '../config/inventory-config.ts';
import type { GpuKnowledge } from '../gpu/identify-gpu.ts';
import { InventoryLedger } from '../ledger/inventory-ledger.ts';
import type { ObservedDevice, ObservedNode, ObservedPod } from '../model/observed.ts';
import type { InventoryListener } from './inventory-sources.ts';

/** Hands what is observed to the ledger, with the time of day, and says that something changed. */
export class LedgerInput implements InventoryListener {
  readonly ledger = new InventoryLedger({ overrides: new Map(), database: new Map(), pciNames: new Map() });
  readonly #clock: Clock;
  changed: () => void = () => {};
  configChanged: () => void = () => {};
  config: InventoryConfig = defaultInventoryConfig;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  setConfig(config: InventoryConfig): void {
    this.config = config;
    this.ledger.setConfig(config, this.#clock.now());
    this.configChanged();
    this.changed();
  }

  setGpuKnowledge(knowledge: GpuKnowledge): void {
    this.ledger.setGpuDatabase(knowledge, this.#clock.now());
    this.changed();
  }

  setNode(node: ObservedNode): void {
    this.ledger.setNode(node, this.#clock.now());
  }

  removeNode(name: string): void {
    this.ledger.removeNode(name, this.#clock.now());
  }

  setPod(pod: ObservedPod): void {
    this.ledger.setPod(pod, this.#clock.now());
  }

  removePod(uid: string): void {
    this.ledger.removePod(uid, this.#clock.now());
  }

  setHardware(node: string, facts: HardwareFacts | undefined, status: HardwareStatus | undefined): void {
    this.ledger.setHardware(node, facts, status, this.#clock.now());
  }

  setDevices(node: string, devices: readonly ObservedDevice[]): void {
    this.ledger.setDevices(node, devices, this.#clock.now());
  }
}
