-- The action `forward-auth` asks the service about a request, and replaces its identity headers and its cookies.
local SERVICE = "http://127.0.0.1:8080/forward-auth"

-- What of the request decides; X-Forwarded-* are set before.
local ASKED = {
  "cookie", "accept", "sec-fetch-mode", "x-requested-with", "user-agent",
  "x-forwarded-proto", "x-forwarded-host", "x-forwarded-for",
}
local ANSWERED = {
  "remote-user", "remote-name", "remote-email", "remote-email-verified", "remote-groups", "remote-amr", "remote-acr", "cookie",
}

core.register_action("forward-auth", { "http-req" }, function(txn)
  local sent = txn.http:req_get_headers()
  local headers = {}
  for _, name in ipairs(ASKED) do
    if sent[name] ~= nil then
      local values = {}
      for at = 0, #sent[name] do values[#values + 1] = sent[name][at] end
      headers[name] = { table.concat(values, name == "cookie" and "; " or ", ") }
    end
  end
  headers["x-forwarded-method"] = { txn.sf:method() }
  headers["x-forwarded-uri"] = { txn.sf:pathq() }

  -- A service that does not respond is asked four times.
  local answer = core.httpclient():get { url = SERVICE, headers = headers, timeout = 2500 }
  if answer.headers == nil then return end
  if answer.headers["location"] ~= nil then
    txn:set_var("txn.forward_auth_location", answer.headers["location"][0])
  end
  for _, name in ipairs(ANSWERED) do
    txn.http:req_del_header(name)
    local value = answer.headers[name] ~= nil and answer.headers[name][0] or ""
    if answer.status == 200 and value ~= "" then txn.http:req_add_header(name, value) end
  end
  -- At the end: HAProxy goes on after an error of an action, and denies a request without a status.
  txn:set_var("txn.forward_auth_status", answer.status)
end)
