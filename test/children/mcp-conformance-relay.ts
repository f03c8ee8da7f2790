// The client that MCP's conformance program starts for each scenario: hands it to the test that waits on the socket, and ends as it has ended there.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const [socketPath = '', url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;

const socket = connect(socketPath);
socket.end(JSON.stringify({ scenario, context: JSON.parse(context), url }));
const problem = await text(socket);
if (problem !== '') throw new Error(problem);
