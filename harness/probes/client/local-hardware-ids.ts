import type { Probe } from '../../steps/steps.ts';
import { broken } from './support.ts';

const FUNCTION = 'PJRT_Device_LocalHardwareId';
const UNDEFINED = -1;

/** Every addressable device answers; defined numbers are not negative and distinguish the devices. */
export const localHardwareIds: Probe = (context) => {
  const ids = context.client.addressableDevices().map((d) => d.localHardwareId());
  const negative = ids.find((id) => id < UNDEFINED);
  if (negative !== undefined)
    broken(`a local hardware id is ${negative}; -1 stands for undefined`, FUNCTION, 'DEV-LHW-001');
  const defined = ids.filter((id) => id !== UNDEFINED);
  const twice = defined.find((id, i) => defined.indexOf(id) !== i);
  if (twice !== undefined)
    broken(`two addressable devices have the local hardware id ${twice}`, FUNCTION, 'DEV-LHW-002', { level: 'should' });
};
