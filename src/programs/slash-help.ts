// The help of the slash commands of a chat, by groups.

/** The commands with what they do. */
export const slashUsage = `What runs
  /stop              stop your turns; if you have none, all that you may stop
  /stop ID           stop one turn or call, by its name or a part of its id
  /stop all          stop everything in the session that you may stop
  /stop … force      do not wait: running programs are killed at once
  /steer TEXT        say it to your turn that runs, at its next model call
  /resume [TEXT]     take your last interrupted turn up again
  /resume ID [TEXT]  take another turn up again
  /tree              show the running turns and calls as a tree
Sessions and model
  /sessions          list the sessions
  /sessions NAME     go to one, with its history; or /sessions NUMBER
  /new [NAME]        go to a new session; what runs here goes on
  /clear             empty the screen and go to a new session
  /model             show the model, and which may be chosen
  /model NAME        choose one for what you say from now on
  /usage             show tokens, cost and calls: the session, your last turn
Questions
  /approve [ID]      allow what a call asks for
  /deny [ID]         do not allow it
  /show [ID]         show the whole text of an approval that was cut
  /answer [ID] TEXT  answer a question
People
  /who               show who you are, and who else has spoken here
  /delegate NAME     let another speaker stop what is yours; NAME ID: one call
  /invite NAME       make a speaker a member of the session
  /remove NAME       take a membership back
What is said
  @FILE              attach a picture, or put in a text file; @@ is a plain @
  @"MY FILE"         the same for a path with spaces
  /offers [SERVER]   list what MCP servers offer to name
  @SERVER:RESOURCE   put in a resource that a server offers
  /SERVER:PROMPT     say a prompt that a server offers; NAME=VALUE after it
  //text             send a text that starts with a slash
Chat
  /help              show these commands
  /exit              leave the session; your turns continue`;
