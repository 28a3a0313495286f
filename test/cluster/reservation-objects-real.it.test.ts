import { openRealServer } from '../contract/real-server.ts';
import { withServer } from '../contract/with-server.ts';
import { describeReservationObjects } from './reservation-objects.ts';

describeReservationObjects(withServer(openRealServer));
