import { gpuUuid } from './nvidia-proc.ts';
import { known, parseGpuQuery, wholeNumber } from './nvidia-smi.ts';

/** How busy one GPU is right now. */
export interface GpuUsage {
  readonly uuid: string;
  readonly utilizationPercent?: number;
  readonly memoryUsedBytes?: number;
  readonly temperatureCelsius?: number;
  readonly powerWatts?: number;
}

export const usageQueryFields: readonly string[] = ['uuid', 'utilization.gpu', 'memory.used', 'temperature.gpu', 'power.draw'];

/** Usage by card, from `nvidia-smi --query-gpu` with the fields above. What a card does not tell (a card in MIG mode) is absent. */
export function parseUsage(text: string): GpuUsage[] {
  return parseGpuQuery(text, usageQueryFields).flatMap((fields) => {
    const uuid = gpuUuid(fields.get('uuid'));
    if (uuid === undefined) return [];
    const utilization = wholeNumber(known(fields.get('utilization.gpu')));
    const mebibytes = wholeNumber(known(fields.get('memory.used')));
    const temperature = wholeNumber(known(fields.get('temperature.gpu')));
    const watts = /^\d{1,5}(\.\d{1,4})?$/.exec(fields.get('power.draw') ?? '')?.[0];
    return [
      {
        uuid,
        ...(utilization === undefined ? {} : { utilizationPercent: Math.min(utilization, 100) }),
        ...(mebibytes === undefined ? {} : { memoryUsedBytes: mebibytes * 2 ** 20 }),
        ...(temperature === undefined ? {} : { temperatureCelsius: temperature }),
        ...(watts === undefined ? {} : { powerWatts: Number(watts) }),
      },
    ];
  });
}
