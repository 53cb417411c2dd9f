# Runs the steps of ../journey.py with a generated Ruby client.

require 'json'
require 'time'
require 'uri'
require 'openapi_client'

include OpenapiClient

# Writes instants in the format of JSON. Ruby's own to_json has another format.
class Time
  def to_json(*arguments)
    iso8601.to_json(*arguments)
  end
end

OPENED = '851000000002008'
PROCESSED = '851000000002005'

# Reads the lists of a company, and hires a worker of this company.
def hire(companies, payroll, workers)
  responses = { companies: companies.list_companies(displayid: '00010001') }
  company = responses[:companies].content[0].company_id
  responses[:components] = payroll.list_pay_components(company)
  responses[:jobs] = companies.list_company_jobs(company)
  responses[:locations] = companies.list_locations(company)
  responses[:hired] = workers.add_workers(company, [WorkerInput.new(
    worker_correlation_id: 'ruby-1', worker_type: 'EMPLOYEE', employment_type: 'FULL_TIME', hire_date: '2021-06-07',
    name: WorkerInputName.new(family_name: 'Sample', given_name: 'Ann'),
    legal_id: WorkerInputLegalId.new(legal_id_type: 'SSN', legal_id_value: '900123456'),
    organization: WorkerInputOrganization.new(organization_id: '851000000006003'),
    location_id: responses[:locations].content[0].location_id
  )])
  worker = responses[:hired].content[0].worker_id
  responses[:worker] = workers.get_worker(worker)
  responses[:changed] = workers.change_worker(worker, WorkerChange.new(clock_id: '4117'))
  [company, worker, responses]
end

# Adds the parts of a worker that are needed for pay.
def set_up(workers, worker)
  phone = CommunicationInput.new(type: 'PHONE', usage_type: 'BUSINESS', dial_area: '585', dial_number: '5550100')
  rate = PayRateInput.new(
    rate_number: 'RATE_1', rate_type: 'HOURLY_RATE', amount: '23.505', default: true, start_date: '2021-06-07'
  )
  federal = FederalTaxInput.new(
    filing_status: 'MARRIED_FILING_JOINTLY', multiple_jobs: 'true', dependents_amount: '500.00'
  )
  change = FederalTaxChange.new(filing_status: 'HEAD_OF_HOUSEHOLD', extra_withholding_amount: '10.50')
  state = { countrySubdivisionCode: 'OH', taxStatusType: 'WITHHOLD', isResidentState: true }
  patch = [
    StateTaxPatchInner.new(op: 'add', path: '/workerTaxes/new', value: state),
    StateTaxPatchInner.new(op: 'add', path: '/workerTaxes/new/additionalAmount', value: '5.25')
  ]
  deposit = DirectDepositInput.new(
    payment_type: 'PERCENTAGE', account_type: 'SAVINGS', value: '10',
    routing_number: '122100024', account_number: '5550001234'
  )
  recurring = RecurringComponentInput.new(
    component_id: '851000000001016', calculation_type: 'FLAT_DOLLAR_AMOUNT', value: '25.00'
  )
  {
    communication: workers.add_communication(worker, phone), rate: workers.add_pay_rate(worker, rate),
    federal: workers.set_federal_tax(worker, federal), federalChanged: workers.change_federal_tax(worker, change),
    states: workers.change_state_taxes(worker, patch), deposit: workers.add_direct_deposit(worker, deposit),
    recurring: workers.add_recurring_component(worker, recurring)
  }
end

# Adds a check and a line of this check, and sends an invalid request.
def pay(payroll, company, worker)
  check = CheckInput.new(
    worker_id: worker, pay_period_id: OPENED, check_correlation_id: 'ruby-1',
    earnings: [CheckLineInput.new(component_id: '851000000001001', pay_hours: '7.25')]
  )
  bonus = CheckLineInput.new(component_id: '851000000001004', pay_amount: '75.25')
  added = payroll.add_checks(company, [check])
  line = payroll.add_check_line(added.content[0].paycheck_id, bonus)
  check.worker_id = 'nobody'
  rejected =
    begin
      payroll.add_checks(company, [check]) && nil
    rescue ApiError => e
      JSON.parse(e.response_body)['errors'][0]['code']
    end
  [{ added: added, line: line }, rejected]
end

# Changes the status of a worker, and reads all objects back.
def read_back(payroll, workers, company, worker)
  status = WorkerChangeCurrentStatus.new(status_type: 'INACTIVE', status_reason: 'DISABILITY')
  {
    statusChanged: workers.change_worker(worker, WorkerChange.new(current_status: status)),
    statuses: workers.list_statuses(worker), communications: workers.list_communications_of_worker(worker),
    rates: workers.list_pay_rates(worker), federalTax: workers.get_federal_tax(worker),
    stateTaxes: workers.list_state_taxes(worker), deposits: workers.list_direct_deposits(worker),
    recurringComponents: workers.list_recurring_components(worker),
    ownChecks: payroll.list_checks_of_worker(worker, OPENED), open: payroll.list_checks(company, OPENED),
    processed: payroll.list_checks(company, PROCESSED)
  }
end

# Returns the values of some accessors.
def typed(responses)
  first = responses.transform_values { |answer| answer.content[0] }
  hours, bonus = first[:line].earnings
  done = first[:processed]
  {
    familyName: first[:hired].name.family_name, clockId: first[:changed].clock_id,
    rate: first[:rates].amount, default: first[:rates].default,
    filingStatus: first[:federalTax].filing_status, multipleJobs: first[:federalTax].multiple_jobs,
    resident: first[:stateTaxes].is_resident_state,
    depositStatus: first[:deposits].status, account: first[:deposits].account_number,
    recurring: first[:recurringComponents].value,
    status: first[:statuses].status_type, order: first[:statuses].order,
    openHours: hours.pay_hours, openRate: hours.pay_rate, openAmount: bonus.pay_amount,
    netPay: done.net_pay, grossEarnings: done.gross_earnings, tax: done.taxes[0].amount,
    hours: done.earnings[0].hours, amount: done.earnings[0].amount
  }
end

base, client_id, client_secret = ARGV
OpenapiClient.configure do |configuration|
  address = URI(base)
  configuration.scheme = address.scheme
  configuration.host = "#{address.host}:#{address.port}"
  configuration.base_path = ''
  configuration.server_index = nil
end
token = AuthenticationApi.new.create_token(client_id, client_secret, 'client_credentials')
OpenapiClient.configure { |configuration| configuration.access_token = token.access_token }
payroll = PayrollApi.new
workers = WorkerApi.new
company, worker, responses = hire(CompanyApi.new, payroll, workers)
responses.update(set_up(workers, worker))
checks, rejected = pay(payroll, company, worker)
system('python3', ENV.fetch('ACTIVATE'), worker, exception: true)
responses.update(checks, read_back(payroll, workers, company, worker))
puts JSON.generate({ **responses.transform_values(&:to_hash), typed: typed(responses), rejected: rejected })
