import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultHealthSignals, heldBy, isLike } from './health-signal.ts';

describe('isLike', () => {
  it('agrees with the regular expression of the same meaning', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), text, (parts, name) => {
        const meaning = new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('.*')}$`);
        expect(isLike(parts.join('*'), name)).toBe(meaning.test(name));
      }),
    );
  });

  it('takes what stands for its stars', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme-ascii' })), fc.string(), (parts, filling) => {
        const pattern = parts.map((part) => part.replaceAll('*', '')).join('*');
        expect(
          isLike(
            pattern,
            pattern.replaceAll('*', () => filling),
          ),
        ).toBe(true);
      }),
    );
  });
});

describe('heldBy', () => {
  it.each([
    ['condition', 'KernelDeadlock', 'True', 'node'],
    ['condition', 'KernelDeadlock', 'False', 'nothing'],
    ['condition', 'KernelReady', 'False', 'node'],
    ['condition', 'KernelReady', 'True', 'nothing'],
    ['condition', 'AcceleratedHardwareReady', 'False', 'gpus'],
    ['condition', 'AcceleratedHardwareReady', 'Unknown', 'nothing'],
    ['condition', 'GpuNvlinkWatch', 'True', 'gpus'],
    ['condition', 'SysLogsXIDError', 'True', 'gpus'],
    ['condition', 'XIDErrors', 'True', 'gpus'],
    ['condition', 'GpuDcgmConnectivityFailure', 'True', 'nothing'],
    ['condition', 'SomethingOfOurOwn', 'True', 'nothing'],
    ['taint', 'nvidia.com/gpu-xid-error', 'true', 'gpus'],
    ['taint', 'nvidia.com/gpu', 'present', 'nothing'],
    ['label', 'nvidia.com/mig.config.state', 'failed', 'gpus'],
    ['label', 'nvidia.com/mig.config.state', 'success', 'nothing'],
    ['label', 'nvidia.com/gpu-driver-upgrade-state', 'upgrade-done', 'nothing'],
    ['label', 'dgxc.nvidia.com/nvsentinel-state', 'draining', 'node'],
  ] as const)('knows that the %s %s=%s holds back %s', (kind, name, value, held) => {
    expect(heldBy(defaultHealthSignals, kind, name, value)).toBe(held);
  });

  it('goes by the first row', () => {
    const rows = [{ kind: 'condition', name: 'Gpu*', holds: 'nothing' } as const, ...defaultHealthSignals];
    expect(heldBy(rows, 'condition', 'GpuMemWatch', 'True')).toBe('nothing');
    expect(heldBy(rows, 'condition', 'SysLogsXIDError', 'True')).toBe('gpus');
  });
});
