// Tests open databases with the tables of the service, and migrations register themselves.
import '../../../src/apps/schema/history.js';
