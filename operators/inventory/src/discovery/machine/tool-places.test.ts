import { describe, expect, it } from 'vitest';
import { toolPlaces } from './tool-places.ts';

describe('toolPlaces', () => {
  it('looks along the search path first and then where installers put the tool', () => {
    const files = toolPlaces('nvidia-smi', '/custom/bin:/usr/bin:relative', '/').map(({ file }) => file);
    expect(files.slice(0, 2)).toEqual(['/custom/bin/nvidia-smi', '/usr/bin/nvidia-smi']);
    expect(files).toEqual(
      expect.arrayContaining([
        '/usr/local/nvidia/bin/nvidia-smi',
        '/opt/bin/nvidia-smi',
        '/home/kubernetes/bin/nvidia/bin/nvidia-smi',
        '/run/nvidia/driver/usr/bin/nvidia-smi',
      ]),
    );
    expect(new Set(files).size).toBe(files.length);
  });

  it('knows the libraries of a tool that brings them along', () => {
    const place = toolPlaces('nvidia-smi', '', '/').find(({ file }) => file.startsWith('/usr/local/nvidia'));
    expect(place?.libraries).toEqual(['/usr/local/nvidia/lib64', '/usr/local/nvidia/lib']);
    expect(toolPlaces('nvidia-smi', '', '/').find(({ file }) => file.startsWith('/usr/bin'))?.libraries).toBeUndefined();
  });

  it('runs tools of the host inside of the host’s root', () => {
    const places = toolPlaces('nvidia-smi', '/usr/bin', '/host');
    expect(places.find(({ file }) => file === '/host/usr/bin/nvidia-smi')?.chroot).toBe('/host');
    expect(places.find(({ file }) => file === '/host/run/nvidia/driver/usr/bin/nvidia-smi')?.chroot).toBe('/host/run/nvidia/driver');
    expect(places.find(({ file }) => file === '/usr/bin/nvidia-smi')?.chroot).toBeUndefined();
  });
});
