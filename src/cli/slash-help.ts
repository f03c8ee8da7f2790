// The help of the slash commands of a chat, by groups.

/** The commands with what they do. */
export const slashUsage = `What runs
  /stop              stop your turns; if you have none, everything in the session that you may stop
  /stop ID           stop one turn or call: its id, the beginning or the end of its id, or its name
  /stop all          stop everything in the session that you may stop
  /stop ID force     stop without waiting: running programs are killed at once (also: /stop all force)
  /steer TEXT        say it to your turn that runs: its next model call reads it
  /resume [TEXT]     take your last interrupted turn up again, from what completed (also: /resume ID [TEXT])
  /tree              show the running turns and calls as a tree
Sessions and model
  /sessions          list the sessions; /sessions NUMBER or NAME goes to one, with its history
  /new [NAME]        go to a new session; what runs here goes on
  /clear             empty the screen and go to a new session: this one keeps its history (Ctrl-L empties the screen alone)
  /model [NAME]      show the model, and which may be chosen; choose one for what you say from now on
  /usage             show the tokens, the cost and the calls of the session and of your last turn
Questions
  /approve [ID]      allow what a call asks for
  /deny [ID]         do not allow it
  /show [ID]         show the whole text of an approval that was cut
  /answer [ID] TEXT  answer a question
People
  /who               show who you are, and who else has spoken here
  /delegate NAME     let another speaker stop what is yours (also: /delegate NAME ID, for one turn or call)
  /invite NAME       make a speaker a member of the session
  /remove NAME       take a membership back
What is said
  @FILE              attach a picture, or put in a text file; @"a path with spaces", and @@ for a plain @
  @SERVER:RESOURCE   put in what an MCP server offers; /SERVER:PROMPT NAME=VALUE as a line
  /offers [SERVER]   list what MCP servers offer to name
  //text             send a text that starts with a slash
Chat
  /help              show these commands
  /exit              leave the session; your turns continue`;
