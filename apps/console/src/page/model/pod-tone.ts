import type { Tone } from '@quartermaster/api/states';

// phase of a pod -> its fill
const podTones: Readonly<Record<string, Tone>> = { Running: 'allocated', Pending: 'reserved', Failed: 'failed', Unknown: 'unknown' };

export const podTone = (phase: string): Tone => podTones[phase] ?? 'plain';
