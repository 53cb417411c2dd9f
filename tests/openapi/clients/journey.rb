# Runs the steps of ../journey.py with a generated Ruby client.

require 'json'
require 'time'
require 'uri'
require 'openapi_client'

# Writes times in the format of the API, which Ruby's own to_json does not use.
class Time
  def to_json(*arguments)
    iso8601.to_json(*arguments)
  end
end

OPENED = '851000000002008'
PROCESSED = '851000000002005'

base, client_id, client_secret = ARGV
OpenapiClient.configure do |configuration|
  address = URI(base)
  configuration.scheme = address.scheme
  configuration.host = "#{address.host}:#{address.port}"
  configuration.base_path = ''
  configuration.server_index = nil
end
token = OpenapiClient::AuthenticationApi.new.create_token(client_id, client_secret, 'client_credentials')
OpenapiClient.configure { |configuration| configuration.access_token = token.access_token }
payroll = OpenapiClient::PayrollApi.new
company = OpenapiClient::CompanyApi.new.list_companies(displayid: '00010001').content[0].company_id
worker = OpenapiClient::WorkerApi.new.list_workers(company).content[0].worker_id

check = OpenapiClient::CheckInput.new(
  worker_id: worker, pay_period_id: OPENED, check_correlation_id: 'ruby-1',
  earnings: [
    OpenapiClient::CheckLineInput.new(component_id: '851000000001001', pay_hours: '7.25'),
    OpenapiClient::CheckLineInput.new(component_id: '851000000001004', pay_amount: '75.25')
  ]
)
added = payroll.add_checks(company, [check])
opened = payroll.list_checks(company, OPENED)
processed = payroll.list_checks(company, PROCESSED)
check.worker_id = 'nobody'
refused =
  begin
    payroll.add_checks(company, [check]) && nil
  rescue OpenapiClient::ApiError => e
    JSON.parse(e.response_body)['errors'][0]['code']
  end

last = opened.content.last
first = processed.content.first
typed = {
  openHours: last.earnings[0].pay_hours, openRate: last.earnings[0].pay_rate,
  openAmount: last.earnings[1].pay_amount,
  netPay: first.net_pay, grossEarnings: first.gross_earnings, tax: first.taxes[0].amount,
  hours: first.earnings[0].hours, amount: first.earnings[0].amount
}
answers = { added: added, open: opened, processed: processed }.transform_values(&:to_hash)
puts JSON.generate({ **answers, typed: typed, refused: refused })
